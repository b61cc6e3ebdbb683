# SPDX-License-Identifier: GPL-2.0
"""Arguments of getsid(2) by which a CPU's part of the text and of the recording are found."""
BEGIN = 0x7e570000
END = 0x7e580000
