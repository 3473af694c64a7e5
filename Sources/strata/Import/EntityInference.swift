#if Command
  import ORM
  import ORMExchange

  /// Declares an entity for a file: every attribute is of the first type that all its rows allow, of
  /// integer, double, boolean, date and text; from JSON also a list or JSON.
  struct EntityInference {
    let entity: String
    let key: String?
    /// Types named by the user, such as `stops=integer,iata=text`.
    let types: String?
    /// True if records that the import will refuse have no say.
    let leavesOutBad: Bool

    private static let names: [String: AttributeType] = [
      "integer": .int64, "int": .int64, "double": .double, "boolean": .bool, "bool": .bool,
      "date": .date, "text": .string, "string": .string, "decimal": .decimal, "uuid": .uuid,
      "json": .json, "list": .array(.string),
    ]

    /// The entity that holds every record of the file, or every good one if bad ones are left out.
    ///
    /// - Throws: `invalidImport` for a file without such records, and the errors of reading. Unless bad
    ///   records are left out, also for a value that is not of its declared type, and for a key that is
    ///   empty somewhere.
    func description(of source: ImportFrom) throws -> EntityDescription {
      let declared = try declaredTypes()
      var columns: [InferredColumn] = []
      var positions: [String: Int] = [:]
      var records = 0
      var firstFault: StoreError?
      let onBad = { (fault: StoreError) in
        guard leavesOutBad else { throw fault }
        firstFault = firstFault ?? fault
      }
      try source.forEachRecord(onBad: onBad) { fields in
        if let error = fault(of: fields, declared) { return try onBad(error) }
        records += 1
        for (name, field, _) in fields {
          let position = positions[name] ?? columns.count
          if position == columns.count {
            positions[name] = position
            columns.append(InferredColumn(name: name, declared: declared[name]))
          }
          if !field.isNull { columns[position].take(field) }
        }
      }
      if records == 0, let firstFault {
        throw StoreError(
          .invalidImport, "every record of the file is bad; the first: \(firstFault.message)",
          entity: entity)
      }
      for name in declared.keys.sorted() where positions[name] == nil {
        throw StoreError(
          .invalidImport, "the file has no field of this name", entity: entity, attributes: [name])
      }
      guard records > 0 else {
        throw StoreError(.invalidImport, "the file has no records", entity: entity)
      }
      let keyName = key ?? (positions["id"] == nil ? nil : "id")
      if let keyName {
        guard let position = positions[keyName],
          leavesOutBad || columns[position].filled == records
        else {
          throw StoreError(
            .invalidImport, "the key is missing in the file or in some of its rows", entity: entity,
            attributes: [keyName])
        }
      }
      return EntityDescription(
        name: entity,
        attributes: columns.map {
          AttributeDescription(
            $0.name, $0.type, isOptional: $0.filled < records && $0.name != keyName)
        }, key: keyName.map { [$0] } ?? [], keySource: keyName == nil ? .hidden : .program)
    }

    /// Checks that an existing entity has the key and the attributes that the user declared.
    ///
    /// - Throws: `invalidImport`.
    func check(against existing: EntityDescription) throws {
      if let key, existing.key != [key] {
        throw StoreError(
          .invalidImport, "the entity exists and its primary key is not \(key)", entity: entity)
      }
      for (name, type) in try declaredTypes().sorted(by: { $0.key < $1.key }) {
        guard let position = existing.position(of: name),
          existing.attributes[position].type == type
        else {
          throw StoreError(
            .invalidImport, "the entity exists and has no attribute of this name and type",
            entity: entity, attributes: [name])
        }
      }
    }

    /// The reason for which an import refuses a record; nil for a good one.
    private func fault(
      of fields: [(name: String, field: SourceField, location: ImportLocation)],
      _ declared: [String: AttributeType]
    ) -> StoreError? {
      let keyName = key ?? (leavesOutBad ? "id" : nil)
      for (name, field, location) in fields {
        if field.isNull {
          guard name == keyName else { continue }
          return StoreError(.invalidImport, "\(location): the key \(name) is empty")
        }
        if let type = declared[name], !field.reads(as: type) {
          return StoreError(
            .invalidImport, "\(location): the value of \(entity).\(name) does not read as \(type)")
        }
      }
      return nil
    }

    private func declaredTypes() throws -> [String: AttributeType] {
      var declared: [String: AttributeType] = [:]
      for pair in (types ?? "").split(separator: ",") {
        let parts = pair.split(separator: "=")
        guard parts.count == 2, let type = Self.names[String(parts[1])] else {
          throw StoreError(
            .invalidImport,
            "'\(pair)' is not NAME=TYPE; TYPE is one of "
              + Self.names.keys.sorted().joined(separator: ", "), entity: entity)
        }
        declared[String(parts[0])] = type
      }
      return declared
    }
  }
#endif
