/tmp/b/cli/yoke run mm --matrix --size 7000 --devices cpu,cuda:0,cuda:1,cuda:2,cuda:3 --repeat 9 --verify --plot /tmp/w/a/raw/mm.svg --json -
