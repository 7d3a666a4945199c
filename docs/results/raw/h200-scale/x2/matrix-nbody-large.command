/tmp/b/cli/yoke run nbody --matrix --size 2097152 --devices cuda:0,cuda:1 --repeat 3 --verify --plot /tmp/w/d/raw/nbody-large.svg --json -
