from store_fixtures import gateway, moto, place, url

__all__ = ["gateway", "moto", "place", "url"]
