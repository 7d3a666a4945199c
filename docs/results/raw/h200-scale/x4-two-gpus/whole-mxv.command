cli/yoke run mxv --size 800000 --devices cuda:0 --repeat 9 --json -
