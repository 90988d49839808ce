"""The addresses of shop.py, as config/urls.py."""

from django.urls import path

from . import shop

urlpatterns = [path("buy/", shop.seats), path("buy/done", shop.done)]
