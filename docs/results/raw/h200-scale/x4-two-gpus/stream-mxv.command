cli/yoke run mxv --size 800000 --devices cuda:0:mem=1600000000 --repeat 9 --verify --json -
