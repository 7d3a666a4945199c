/tmp/b/cli/yoke run photons --size 100k --devices cuda:0 --kernel plain --verify --json - --repeat 5
