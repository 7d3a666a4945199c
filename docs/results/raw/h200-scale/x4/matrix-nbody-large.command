cli/yoke run nbody --matrix --size 2097152 --devices cpu,cuda:0,cuda:1,cuda:2,cuda:3 --repeat 3 --verify --plot nbody-large.svg --json -
