cli/yoke run saxpy --size 134217728 --devices cuda:0 --repeat 9 --json -
