internal import FoundationEssentials
internal import ORM

/// A class model that drives cars.
// No lock: the cases change an object on one thread alone, before others see it.
final class Chauffeur: PrimaryKeyed, Codable, @unchecked Sendable {
  var id: Int64 = 0
  var name: String
  var stints: ToMany<Stint>
  static let entity = Entity<Chauffeur>("Chauffeur") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("stints", \.stints, inverse: \Stint.chauffeur, delete: .cascade)
  }

  init(_ name: String, stints: ToMany<Stint> = ToMany()) {
    self.name = name
    self.stints = stints
  }
}

/// A linking class model, hidden by a delete, whose key is a class model and a subentity.
// No lock: the cases change an object on one thread alone, before others see it.
final class Stint: PrimaryKeyed, Codable, @unchecked Sendable {
  struct ID: CompositeKey {
    var chauffeur: Chauffeur.ID?
    var car: Car.ID?

    init(_ chauffeur: Chauffeur.ID?, _ car: Car.ID?) {
      self.chauffeur = chauffeur
      self.car = car
    }
  }

  var hours: Int
  var note: String?
  var ended: Date?
  var chauffeur: ToOne<Chauffeur>
  var car: ToOne<Car>
  var id: ID {
    get { ID(chauffeur.id, car.id) }
    set {
      chauffeur.setKey(newValue.chauffeur)
      car.setKey(newValue.car)
    }
  }
  static let entity = Entity<Stint>("Stint") {
    .key("chauffeur", \.chauffeur, id: \.id.chauffeur)
      .key("car", \.car, id: \.id.car)
      .attribute("hours", \.hours)
      .attribute("note", \.note)
      .attribute("ended", \.ended, .softDelete)
  }

  init(_ chauffeur: ToOne<Chauffeur>, _ car: ToOne<Car>, hours: Int = 1, note: String? = nil) {
    self.chauffeur = chauffeur
    self.car = car
    self.hours = hours
    self.note = note
  }
}
