/tmp/b/cli/yoke run photons --size 100M --devices cuda:0 --kernel plain --verify --json - --repeat 5
