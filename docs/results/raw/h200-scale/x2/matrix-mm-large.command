/tmp/b/cli/yoke run mm --matrix --size 24000 --devices cpu,cuda:0,cuda:1 --repeat 3 --verify --plot /tmp/w/b/raw/mm-large.svg --json -
