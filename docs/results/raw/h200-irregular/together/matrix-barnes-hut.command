/tmp/b/cli/yoke run barnes-hut --matrix --size 1048576 --devices cpu,cuda:0,cuda:1 --repeat 9 --verify --plot /tmp/w/raw/barnes-hut.svg --json -
