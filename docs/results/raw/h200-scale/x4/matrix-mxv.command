/tmp/b/cli/yoke run mxv --matrix --size 800000 --devices cpu,cuda:0,cuda:1,cuda:2,cuda:3 --repeat 31 --verify --plot /tmp/w/b/raw/mxv.svg --json -
