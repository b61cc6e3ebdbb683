# What a test machine of pev has: its two boards, file systems by 9p.
CONFIG_PSERIES=y
CONFIG_POWERNV=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_9P=y
# without these the boards do not link
CONFIG_ACPI=y
CONFIG_NVDIMM=y
CONFIG_SERIAL_ISA=y
CONFIG_USB=y
