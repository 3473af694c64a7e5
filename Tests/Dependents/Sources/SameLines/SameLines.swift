package import ORM

package struct Snack: Persistable, PrimaryKeyed, Codable {
  package var id: Int64 = 0
  var name: String
  var price: Double

  package static let entity = Entity<Snack>("Snack") {
    .key("id", \.id, .generated);
    .attribute("name", \.name, .indexed)
      .attribute("price", \.price)
  }
}

/// The same ten lines on whatever store a program picked.
package func runSameLines(on store: any Store) throws {
  let chips = try store.save(Snack(name: "Chips", price: 2.5))
  try store.save([Snack(name: "Bread", price: 4), Snack(name: "Äpfel", price: 1.25)])
  try store.patch(Snack.self, chips.id) { $0[\.price] += 1 }
  try store.update(Snack.all.where { $0.price > 3.75 }) { $0.name = "Toast" }
  let cheap = try store.fetch(Snack.all.where { $0.price < 3.75 }.sorted(by: .ascending(\.name)))
  print(cheap.map { "\($0.id) \($0.name) \($0.price)" })
  print(try store.count(Snack.self), try store.sum(Snack.all, \.price))
  print(try store.find(Snack.self, 2)?.name ?? "none")
  print(try store.delete(Snack.all.where { $0.name.equals("ÄPFEL", .caseInsensitive) }))
  try store.close()
}
