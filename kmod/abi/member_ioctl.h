/* SPDX-License-Identifier: GPL-2.0-only */
/* PMCGRP_IOC_ADD, and ioctls on descriptors of members. */
#ifndef PMCGRP_MEMBER_IOCTL_H
#define PMCGRP_MEMBER_IOCTL_H

struct file;
struct pmcgrp_group;
struct pmcgrp_member_fd;

struct pmcgrp_member_fd *pmcgrp_member_of_file(const struct file *file);
long pmcgrp_member_ioctl_add(struct pmcgrp_group *group, void __user *uarg);
long pmcgrp_member_fd_control(struct pmcgrp_member_fd *mfd, unsigned int cmd, unsigned long arg);

#endif /* PMCGRP_MEMBER_IOCTL_H */
