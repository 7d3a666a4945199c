/tmp/b/cli/yoke run photons --size 16M --devices cpu:1 --kernel plain --verify --json - --repeat 3
