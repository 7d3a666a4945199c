yoke run photons --size 4294967296 --devices cpu,cuda:0,cuda:1 --kernel plain --repeat 2 --matrix
