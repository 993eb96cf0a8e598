"""The client's own copies of the service's messages have the same fields."""

from dataclasses import fields

import msgspec

from floorline.client import messages
from floorline.live import RewardReceipt, Ticket
from floorline.service.api.responses import BatchReceipt, DecisionAnswer


def names(struct):
    return [field.name for field in msgspec.structs.fields(struct)]


def test_a_decision_is_what_the_service_answers_and_what_a_campaign_hands_out():
    client = [field.name for field in fields(messages.Decision)]
    assert client == names(DecisionAnswer)
    assert client == ["ticket" if name == "id" else name for name in names(Ticket)]


def test_a_receipt_is_what_the_service_answers_to_a_batch():
    client = [field.name for field in fields(messages.RewardReceipt)]
    assert client == names(BatchReceipt)
    assert client[:2] == names(RewardReceipt)
