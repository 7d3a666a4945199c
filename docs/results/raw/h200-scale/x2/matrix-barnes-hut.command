/tmp/b/cli/yoke run barnes-hut --matrix --size 1048576 --devices cpu,cuda:0,cuda:1 --repeat 31 --verify --plot /tmp/w/a/raw/barnes-hut.svg --json -
