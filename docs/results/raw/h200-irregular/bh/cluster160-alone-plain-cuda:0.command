/tmp/b/cli/yoke run barnes-hut --load 160 --size 1048576 --devices cuda:0 --kernel plain --verify --json - --repeat 5
