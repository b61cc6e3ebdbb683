# What a test machine of pev has: microvm, file systems by 9p.
CONFIG_MICROVM=y
CONFIG_VIRTIO_9P=y
# microvm alone does not link
CONFIG_I440FX=y
