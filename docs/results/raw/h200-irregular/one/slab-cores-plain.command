/tmp/b/cli/yoke run photons --size 16M --devices cpu --kernel plain --verify --json - --repeat 7
