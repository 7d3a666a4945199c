/tmp/b/cli/yoke run barnes-hut --load 40 --size 1048576 --devices cuda:0 --kernel auto --verify --json - --repeat 5
