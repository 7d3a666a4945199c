/tmp/b/cli/yoke run mm --matrix --size 24000 --devices cuda:0,cuda:1,cuda:2,cuda:3 --repeat 3 --verify --plot /tmp/w/c/raw/mm-large.svg --json -
