/tmp/b/cli/yoke run barnes-hut --matrix --size 29360128 --devices cpu,cuda:0,cuda:1 --repeat 9 --verify --plot /tmp/w/raw/barnes-hut-large.svg --json -
