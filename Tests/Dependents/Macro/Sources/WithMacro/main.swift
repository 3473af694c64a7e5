import MemoryBackend
import Models
import ORM
import OnMainActor

let store = MemoryStore(schema: try Schema(Shop.self, Offer.self, Visit.self))
var shop = Shop(name: "Corner")
shop.offers = [Offer("Tea", 1, price: 2.5), Offer("Tea", 2, price: 3), Offer("Jam", 1, price: 4)]
let saved = try store.save(shop)
let cheap = try store.fetch(
  Offer.all.where { $0.price < 4 && $0.isOpen }.sorted(by: .descending(\.price)))
print(cheap.map { "\($0.id.article) \($0.id.number) \($0.price)" })
print(try store.count(Offer.all.where { $0.shop.name == "Corner" }))
print(try store.find(Offer.self, .init(article: "Jam", number: 1))?.shop.id == saved.id)
print(saved.offerCount, try store.fetch(Offer.all.template("open")).count)
print((try? store.save(Offer("Air", 1, price: 0))) == nil)
print(try store.save(Visit(place: "here")).id)
try store.delete(saved)
print(try store.count(Offer.self))
try store.close()
