cli/yoke run mm --matrix --size 38000 --devices cpu,cuda:0,cuda:1 --repeat 3 --verify --plot mm-large.svg --json -
