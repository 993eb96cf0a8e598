import pytest

from floorline.live.names import check_arm_name, check_campaign_name


@pytest.mark.parametrize(
    "name", ["now", "größere Bilder", "日本語", "नया", "a/b:c.d_e-f", "x" * 64]
)
def test_arms_are_called_what_people_call_them(name):
    check_arm_name(name)


@pytest.mark.parametrize(
    "name",
    ["", " now", "=1+1", "<b>", "a\nb", "now\n", "cafe\u0301", "a\u202eb", "a\u2028b", "x" * 65],
)
def test_names_that_would_mislead_are_refused(name):
    with pytest.raises(ValueError, match="arms: must be names of at most 64 letters"):
        check_arm_name(name)


@pytest.mark.parametrize("name", ["page", "Frühjahr-日本", "2026.q1", "x" * 64])
def test_campaigns_too(name):
    check_campaign_name(name)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a b", "-x", "日" * 64 + "日", "語" * 67])
def test_a_campaign_has_the_name_of_a_file(name):
    with pytest.raises(ValueError, match="name: must be at most 64 letters"):
        check_campaign_name(name)


def test_the_name_fits_into_a_file_system():
    with pytest.raises(ValueError, match="name: must be"):
        check_campaign_name("\N{CJK UNIFIED IDEOGRAPH-20000}" * 64)  # 256 bytes
