/tmp/b/cli/yoke run mm --matrix --size 7000 --devices cpu,cuda:0,cuda:1 --repeat 15 --verify --plot /tmp/w/a/raw/mm.svg --json -
