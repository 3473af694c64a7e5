@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var taste: String?
  var price: Double = 0
}

@Persistable
struct Coupon {
  @PrimaryKey(.generated) var couponNumber: Int64 = 0
  var label: String
}

@Persistable
struct Enrolment {
  struct ID: CompositeKey {
    var classNumber: Int
    var studentNumber: Int
  }
  @PrimaryKey var id: ID
  var seat: String?
}

@Persistable
struct LogLine {
  var text: String
  var time: Date
}

@Persistable
struct Address {
  var street: String
  var city: String
}

@Persistable
struct Customer {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Embedded var home: Address
  @Embedded var work: Address?
}

func use(_ store: any Store) throws {
  // SNIPPET
}
