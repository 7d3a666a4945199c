/tmp/b/cli/yoke run barnes-hut --matrix --size 29360128 --devices cpu,cuda:0,cuda:1 --repeat 4 --verify --plot /tmp/w/c/raw/barnes-hut-large.svg --json -
