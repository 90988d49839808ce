"""The fence guard's table. `baton_kit.guard` writes it with one statement; nothing else does."""

from django.db import models


class Fence(models.Model):
    """The newest lease of a ticket that touched a resource."""

    room = models.CharField(max_length=32)
    edition = models.BigIntegerField()
    ticket = models.BigIntegerField()
    resource = models.CharField(max_length=200)
    fence = models.BigIntegerField()
    holds = models.BigIntegerField()

    class Meta:
        db_table = "baton_fences"
        constraints = [models.UniqueConstraint(fields=["room", "edition", "ticket", "resource"], name="baton_fences_key")]

    def __str__(self):
        return f"{self.room} {self.edition}/{self.ticket} {self.resource}: {self.fence}"
