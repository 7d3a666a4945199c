/tmp/b/cli/yoke run photons --size 10M --devices cuda:0 --kernel plain --verify --json - --repeat 5
