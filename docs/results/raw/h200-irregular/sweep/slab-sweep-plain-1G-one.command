/tmp/b/cli/yoke run photons --size 1G --devices cuda:0 --kernel plain --verify --json - --repeat 5
