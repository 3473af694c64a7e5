internal import ORM

/// Keyed by an integer, of the store in some shapes.
enum Ant: ThingKind {
  static let number = 0
  static let keyNames = ["id"]
  static func key(_ number: Int) -> Int64 { Int64(number) }
  static func number(of key: Int64) -> Int { Int(key) }

  static func keyPart<S: ShapeTag>(_ shape: S.Type) -> EntityPart<Thing<S, Ant>> {
    ShapeTable.shape(S.number).isGenerated ? .key("id", \.id, .generated) : .key("id", \.id)
  }

  static func one<S: ShapeTag, K: ThingKind>(
    _ slot: Int, of model: Thing<S, K>.Type
  ) -> WritableAttributePath<Thing<S, K>, ToOne<Thing<S, Ant>>> { \.oneAnt[slot] }

  static func many<S: ShapeTag, K: ThingKind>(
    _ slot: Int, of model: Thing<S, K>.Type
  ) -> WritableAttributePath<Thing<S, K>, ToMany<Thing<S, Ant>>> { \.manyAnt[slot] }
}

/// Keyed by a text.
enum Bee: ThingKind {
  static let number = 1
  static let keyNames = ["name"]
  static func key(_ number: Int) -> String { "b\(number)" }
  static func number(of key: String) -> Int { Int(key.dropFirst()) ?? -1 }

  static func keyPart<S: ShapeTag>(_ shape: S.Type) -> EntityPart<Thing<S, Bee>> {
    .key("name", \.id)
  }

  static func one<S: ShapeTag, K: ThingKind>(
    _ slot: Int, of model: Thing<S, K>.Type
  ) -> WritableAttributePath<Thing<S, K>, ToOne<Thing<S, Bee>>> { \.oneBee[slot] }

  static func many<S: ShapeTag, K: ThingKind>(
    _ slot: Int, of model: Thing<S, K>.Type
  ) -> WritableAttributePath<Thing<S, K>, ToMany<Thing<S, Bee>>> { \.manyBee[slot] }
}

/// Keyed by two attributes.
enum Cow: ThingKind {
  struct Key: CompositeKey {
    var herd: String
    var number: Int
  }

  static let number = 2
  static let keyNames = ["herd", "number"]
  static func key(_ number: Int) -> Key { Key(herd: "h\(number % 2)", number: number / 2) }
  static func number(of key: Key) -> Int { key.number * 2 + (Int(key.herd.dropFirst()) ?? 0) }

  static func keyPart<S: ShapeTag>(_ shape: S.Type) -> EntityPart<Thing<S, Cow>> {
    .key("herd", \.id.herd).key("number", \.id.number)
  }

  static func one<S: ShapeTag, K: ThingKind>(
    _ slot: Int, of model: Thing<S, K>.Type
  ) -> WritableAttributePath<Thing<S, K>, ToOne<Thing<S, Cow>>> { \.oneCow[slot] }

  static func many<S: ShapeTag, K: ThingKind>(
    _ slot: Int, of model: Thing<S, K>.Type
  ) -> WritableAttributePath<Thing<S, K>, ToMany<Thing<S, Cow>>> { \.manyCow[slot] }
}
