public import ORM

/// A treatment of records whose kind a mapping does not name.
public enum JSONUnknownKind: String, Hashable, Codable, Sendable {
  /// The records are faults.
  case refuse
  /// The records are left out.
  case skip
  /// The records are read like the others: as the mapping's own model, by its rules.
  case keep
}

extension JSONMapping {
  /// Reads only records of one kind, which a member names, and writes that member.
  ///
  /// ```swift
  /// let cars = JSONMapping(Car.self).kind(in: "type", "car", "coupe", otherwise: .skip)
  /// ```
  ///
  /// Several mappings of subentities decode one list, each its own records. For all kinds by one
  /// mapping, name the models: `kind(in: "type", ["car": Car.self])`.
  ///
  /// - Parameters:
  ///   - member: the path of the member.
  ///   - kinds: the texts that stand for this model; the first is written.
  ///   - otherwise: the treatment of any other record.
  public func kind(
    in member: String, _ kinds: String..., otherwise: JSONUnknownKind = .refuse
  ) -> JSONMapping {
    adding { $0.kind = KindRule(member: member, kinds: kinds, otherwise: otherwise) }
  }
}

extension JSONMapping where Model: PrimaryKeyed {
  /// Reads records of several kinds, each as the subentity that a member names, and writes that
  /// member.
  ///
  /// ```swift
  /// let vehicles = JSONMapping(Vehicle.self)
  ///   .kind(in: "type", ["car": Car.self, "bicycle": Bicycle.self, "bike": Bicycle.self])
  /// try store.import(Vehicle.self, from: .jsonLines(.file("vehicles.jsonl"))) { $0.mapping = vehicles }
  /// try store.export(Vehicle.all, to: .jsonLines("copy.jsonl"), mapping: vehicles)
  /// ```
  ///
  /// An import saves each record as its own entity, and an export writes each row as its own.
  /// `decodeConcrete` and `encodeConcrete` do so without a store, while `decode` reads records of all
  /// kinds as this model. The mapping's model may be among the kinds.
  ///
  /// A kind has the mapping that is given for it by ``kind(_:with:)``, or its model's own, or else the
  /// rules of this mapping, by the names of attributes. Attributes that it adds have their own names
  /// then. `only` leaves out attributes of this model, and none that a kind adds. The member of the kind,
  /// the form of lists and the relationships of this model always follow this mapping.
  ///
  /// An import reads objects of several kinds that are nested in other records as well, by a rule
  /// `when: .reading`. They need their keys.
  ///
  /// The hook `before` belongs to those rules. `after` and `afterWriting` take objects of this model,
  /// so a mapping that has them must give a mapping for each kind that has no own one.
  ///
  /// - Parameters:
  ///   - member: the path of the member.
  ///   - kinds: the texts that stand for models; of several for one model, the first is written.
  ///   - otherwise: the treatment of any other record: one with another text, with a value that is no
  ///     text, or without the member.
  public func kind(
    in member: String, _ kinds: KeyValuePairs<String, any PrimaryKeyed.Type>,
    otherwise: JSONUnknownKind = .refuse
  ) -> JSONMapping {
    let pairs = kinds.map { (text: $0.key, model: KindReference.type($0.value)) }
    return adding { $0.kind = KindRule(member: member, pairs, otherwise: otherwise) }
  }

  /// Reads and writes records of one of several kinds by another mapping than its model's own.
  ///
  /// ```swift
  /// let vehicles = JSONMapping(Vehicle.self)
  ///   .kind(in: "type", ["car": Car.self, "bicycle": Bicycle.self])
  ///   .kind(Car.self, with: JSONMapping(Car.self).field(\.doors, from: "door_count"))
  /// ```
  ///
  /// A rule for kinds that the other mapping has is not used, and neither is its form of lists.
  ///
  /// - Parameters:
  ///   - kind: a model that is named among the kinds, and not this mapping's own.
  ///   - mapping: its mapping.
  public func kind<Kind: PrimaryKeyed>(
    _ kind: Kind.Type, with mapping: JSONMapping<Kind>
  ) -> JSONMapping {
    adding { $0.kindMappings.append(KindMapping(model: .type(kind), mapping: .mapping(mapping))) }
  }
}
