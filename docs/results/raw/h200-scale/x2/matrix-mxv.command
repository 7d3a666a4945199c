/tmp/b/cli/yoke run mxv --matrix --size 800000 --devices cpu,cuda:0,cuda:1 --repeat 31 --verify --plot /tmp/w/a/raw/mxv.svg --json -
