/tmp/b/cli/yoke run photons --size 16M --devices cpu:1 --kernel auto --verify --json - --repeat 3
