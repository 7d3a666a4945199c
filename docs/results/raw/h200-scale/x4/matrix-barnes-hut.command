cli/yoke run barnes-hut --matrix --size 1048576 --devices cpu,cuda:0,cuda:1,cuda:2,cuda:3 --repeat 15 --verify --plot barnes-hut.svg --json -
