/tmp/b/cli/yoke run photons --size 100M --devices cpu,cuda:0,cuda:1 --kernel auto --verify --json - --repeat 5
