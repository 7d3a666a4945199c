/tmp/b/cli/yoke run mm --matrix --size 7000 --devices cpu,cuda:0,cuda:1,cuda:2,cuda:3 --repeat 25 --verify --plot /tmp/w/c/raw/mm.svg --json -
