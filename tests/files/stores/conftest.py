from store_fixtures import gateway, moto, store, url

__all__ = ["gateway", "moto", "store", "url"]
