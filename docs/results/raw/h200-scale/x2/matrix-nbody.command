/tmp/b/cli/yoke run nbody --matrix --size 524288 --devices cpu,cuda:0,cuda:1 --repeat 4 --verify --plot /tmp/w/b/raw/nbody.svg --json -
