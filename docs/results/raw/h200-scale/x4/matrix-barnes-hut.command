/tmp/b/cli/yoke run barnes-hut --matrix --size 1048576 --devices cpu,cuda:0,cuda:1,cuda:2,cuda:3 --repeat 31 --verify --plot /tmp/w/b/raw/barnes-hut.svg --json -
