cli/yoke run saxpy --size 134217728 --devices cuda:0:mem=268435456 --repeat 9 --verify --json -
