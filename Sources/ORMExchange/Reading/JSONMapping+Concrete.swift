public import FoundationEssentials
public import ORM

extension JSONMapping where Model: PrimaryKeyed {
  /// Decodes the objects of a text, each as the model of its kind.
  ///
  /// ```swift
  /// let vehicles = JSONMapping(Vehicle.self).kind(in: "type", ["car": Car.self])
  /// for vehicle in try vehicles.decodeConcrete(#"[{"type": "car", "id": 1, "name": "Ant"}]"#) {
  ///   if let car = vehicle as? Car { print(car.name) }
  /// }
  /// ```
  ///
  /// Objects of a subentity do not have the relationships of the entities above, which an import
  /// alone saves with them.
  ///
  /// - Parameters:
  ///   - text: JSON.
  ///   - path: the path of the records in it; the top unless given.
  /// - Returns: the objects in the order of the text, without those that are left out.
  /// - Throws: `invalidImport` at the first record with faults, with all of them; `invalidMapping`.
  public func decodeConcrete(_ text: String, at path: String = "") throws -> [any PrimaryKeyed] {
    try text.withBytes { try concrete(in: $0, at: path, isText: true) }
  }

  /// Decodes the objects of a text in UTF-8, each as the model of its kind.
  public func decodeConcrete(_ data: Data, at path: String = "") throws -> [any PrimaryKeyed] {
    try data.withUnsafeBytes { bytes in
      try JSONFault.checkUTF8(bytes)
      return try concrete(in: bytes, at: path, isText: true)
    }
  }

  /// Decodes the objects of a JSON value, each as the model of its kind.
  public func decodeConcrete(_ json: JSONValue, at path: String = "") throws -> [any PrimaryKeyed] {
    try json.text.withBytes { try concrete(in: $0, at: path, isText: false) }
  }

  private func concrete(
    in bytes: UnsafeRawBufferPointer, at path: String, isText: Bool
  ) throws -> [any PrimaryKeyed] {
    let plan = try plan
    try plan.kinds?.checkModels()
    let reading = JSONReading(plan.targets, isText: isText)
    let own = ObjectReader(plan, reading)
    let kinds = try plan.kinds?.kinds.map { try $0.reader(reading) } ?? []
    var models: [any PrimaryKeyed] = []
    try own.forEachRecord(in: bytes, at: path) { scanner, depth, name in
      let kind = plan.kinds?.table.kind(at: scanner)
      let model: (any PrimaryKeyed)? =
        if let kind {
          try kinds[kind](&scanner, depth, name)
        } else {
          try own.read(&scanner, depth: depth, name: name)
        }
      if let model { models.append(model) }
    }
    return models
  }

  /// Encodes objects as a JSON text, each by the mapping of its kind.
  ///
  /// ```swift
  /// let vehicles = JSONMapping(Vehicle.self)
  ///   .kind(in: "type", ["car": Car.self, "vehicle": Vehicle.self])
  /// let text = try vehicles.encodeConcrete(store.fetch(Vehicle.all, as: .concrete))
  /// ```
  ///
  /// The text has the form of `encode`. An export writes the relationships of entities above as
  /// well, which objects of a subentity do not have. With `otherwise: .keep`, an object whose kind is
  /// not named is written as the nearest model above.
  ///
  /// - Throws: `invalidMapping`, also for an object whose kind the mapping does not name; as `encode`.
  public func encodeConcrete(_ models: [any Persistable]) throws -> String {
    let plan = try plan
    try plan.kinds?.checkModels()
    let writing = JSONWriting(plan.targets)
    let isKeyed = plan.list == .keyed
    var writer = JSONWriter()
    if isKeyed { writer.beginObject() } else { writer.beginArray() }
    for model in models {
      let object = try Self.object(model, plan, writing)
      if isKeyed { writer.key(try object.memberName) }
      try object.write(to: &writer)
    }
    writer.end()
    return writer.text
  }

  private static func object<Object: Persistable>(
    _ model: Object, _ plan: MappingPlan<Model>, _ writing: JSONWriting
  ) throws -> any KindObject {
    if let own = model as? Model {
      if plan.kinds?.writesOwn == false { throw KindPlans<Model>.unnamed(plan.entity) }
      return WrittenObject(plan: plan, model: own, inherited: InheritedWriting(), writing: writing)
    }
    for kind in plan.kinds?.kinds ?? [] {
      if let object = try kind.object(model, writing) { return object }
    }
    guard plan.kinds?.otherwise == .keep, let parent = Object.entity.parentModel else {
      throw KindPlans<Model>.unnamed(Object.entity.written.name)
    }
    func converted<Parent: Persistable>(_ type: Parent.Type) throws -> any KindObject {
      try object(RowConversion<Parent, Object>().root(of: model), plan, writing)
    }
    return try converted(parent)
  }
}

extension KindPlan {
  /// Makes a reader of the kind's records.
  fileprivate func reader(
    _ reading: JSONReading
  ) throws -> (inout JSONScanner, Int, String?) throws -> (any PrimaryKeyed)? {
    let reader = ObjectReader(try mapping.plan, reading)
    return { try reader.read(&$0, depth: $1, name: $2) }
  }

  /// The writing of an object that is of the kind; nil for any other.
  fileprivate func object(
    _ model: any Persistable, _ writing: JSONWriting
  ) throws -> (any KindObject)? {
    guard let model = model as? Kind else { return nil }
    return WrittenObject(
      plan: try mapping.plan, model: model, inherited: InheritedWriting(), writing: writing)
  }
}
