"""What locust asks: one path, with `Accept` as the environment says; with `LOAD_LOOKS` a waiting answer is a failure whatever its status is."""

import os

from locust import HttpUser, constant, task

PATH = os.environ["LOAD_PATH"]
HEADERS = {"Accept": os.environ["LOAD_ACCEPT"]} if "LOAD_ACCEPT" in os.environ else {}


class Somebody(HttpUser):
    wait_time = constant(0.05)

    @task
    def buy(self):
        if "LOAD_LOOKS" not in os.environ:
            self.client.get(PATH, headers=HEADERS)
            return
        with self.client.get(PATH, headers=HEADERS, catch_response=True) as answer:
            if "Baton-State" in answer.headers:
                answer.failure("waits")
