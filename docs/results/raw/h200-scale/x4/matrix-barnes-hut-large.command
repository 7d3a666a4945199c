/tmp/b/cli/yoke run barnes-hut --matrix --size 29360128 --devices cuda:0,cuda:1,cuda:2,cuda:3 --repeat 5 --verify --plot /tmp/w/d/raw/barnes-hut-large.svg --json -
