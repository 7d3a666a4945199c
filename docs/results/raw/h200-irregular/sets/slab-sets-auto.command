/tmp/b/cli/yoke run photons --size 320M --devices cpu,cuda:0,cuda:1 --kernel auto --verify --json - --matrix --repeat 5
