/tmp/b/cli/yoke run saxpy --matrix --size 134217728 --devices cpu,cuda:0,cuda:1,cuda:2,cuda:3 --repeat 31 --verify --plot /tmp/w/a/raw/saxpy.svg --json -
