/tmp/b/cli/yoke run nbody --matrix --size 524288 --devices cpu,cuda:0,cuda:1,cuda:2,cuda:3 --repeat 31 --verify --plot /tmp/w/a/raw/nbody.svg --json -
