/tmp/b/cli/yoke run photons --size 16M --devices cpu --kernel step --verify --json - --repeat 7
