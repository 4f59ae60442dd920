from store_fixtures import gateway, moto, url

__all__ = ["gateway", "moto", "url"]
